class Spinsync < Formula
  desc "From photo folders to published 360 degree views"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{.URL "darwin" "arm64" "tar.gz"}}"
      sha256 "{{.SHA256 "darwin" "arm64" "tar.gz"}}"
    end
    on_intel do
      url "{{.URL "darwin" "amd64" "tar.gz"}}"
      sha256 "{{.SHA256 "darwin" "amd64" "tar.gz"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL "linux" "arm64" "tar.gz"}}"
      sha256 "{{.SHA256 "linux" "arm64" "tar.gz"}}"
    end
    on_intel do
      url "{{.URL "linux" "amd64" "tar.gz"}}"
      sha256 "{{.SHA256 "linux" "amd64" "tar.gz"}}"
    end
  end

  def install
    bin.install "spinsync"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/spinsync.bash" => "spinsync"
    zsh_completion.install "completions/_spinsync"
    fish_completion.install "completions/spinsync.fish"
    pkgshare.install "sync.toml.example"
  end

  def caveats
    <<~EOS
      Fill in sync.toml (an example is in #{opt_pkgshare}), then:
        spinsync service install
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/spinsync version")
  end
end
