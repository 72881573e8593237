package control

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// createPrivate makes a file next to another one that only this account, the system and its
// administrators may read. On Windows a mode cannot do that, and a new directory lets all users read
// what is in it.
func createPrivate(beside string) (*os.File, error) {
	path := beside + "." + rand.Text()
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	who, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	rights, err := windows.SecurityDescriptorFromString(fmt.Sprintf("D:P(A;;FA;;;%s)(A;;FA;;;SY)(A;;FA;;;BA)", who.User.Sid))
	if err != nil {
		return nil, err
	}
	with := windows.SecurityAttributes{SecurityDescriptor: rights}
	with.Length = uint32(unsafe.Sizeof(with))
	h, err := windows.CreateFile(
		name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, &with, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0,
	)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), filepath.Clean(path)), nil
}
