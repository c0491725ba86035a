# src/demangle -- sources, tests and programs of this room.
