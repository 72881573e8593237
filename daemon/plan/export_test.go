package plan

// BusyPatience is the age at which a temporary file holds nothing up any more.
const BusyPatience = busyPatience
