# src/keeper -- sources, tests and programs of this room.
