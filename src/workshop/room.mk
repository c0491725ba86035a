# src/workshop -- sources, tests and programs of this room.
