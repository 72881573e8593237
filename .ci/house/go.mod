// A module of its own, so that what proves the program stays out of the program.
module spinsync/ci/house

go 1.26.6
