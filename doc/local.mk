# doc -- the pages, installed beside the README.
EXTRA_DIST += doc

install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(docdir)/api" "$(DESTDIR)$(docdir)/formats" "$(DESTDIR)$(docdir)/pictures"
	$(INSTALL_DATA) $(srcdir)/doc/*.md "$(DESTDIR)$(docdir)"
	$(INSTALL_DATA) $(srcdir)/doc/api/*.md "$(DESTDIR)$(docdir)/api"
	$(INSTALL_DATA) $(srcdir)/doc/formats/*.md "$(DESTDIR)$(docdir)/formats"
	$(INSTALL_DATA) $(srcdir)/doc/pictures/*.png "$(DESTDIR)$(docdir)/pictures"

uninstall-local:
	rm -rf "$(DESTDIR)$(docdir)"
