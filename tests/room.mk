# tests -- what all tests share, and the suites that are not one room.
