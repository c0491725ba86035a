#!/bin/sh
exec /usr/bin/symgate fcgi
