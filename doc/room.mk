# doc -- the pages, installed beside the README.
EXTRA_DIST += doc

install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(docdir)/api"
	$(INSTALL_DATA) $(srcdir)/doc/*.md "$(DESTDIR)$(docdir)"
	$(INSTALL_DATA) $(srcdir)/doc/api/*.md "$(DESTDIR)$(docdir)/api"

uninstall-local:
	rm -rf "$(DESTDIR)$(docdir)"
