package mcpclient

// Unexported names that tests look at.
var AtLeast = atLeast
