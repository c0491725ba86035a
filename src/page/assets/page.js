/*
 * page.js -- what pages do by themselves; without it each of them is complete.
 *
 * Nothing here makes markup of text: pages that are fetched again are parsed by the browser as documents
 * (XMLHttpRequest), and what differs is taken over node by node.
 *
 *  form.drop            takes what is dropped or pasted anywhere on the page
 *  pre[data-copy]       gets a button that copies its text
 *  [data-refresh=2][id] is fetched again every 2 s, unless it is hidden, paused or in use
 */
"use strict";

(() => {
  const make = (element, words) => {
    const made = document.createElement(element);
    made.textContent = words;
    return made;
  };
  const button = (words, act) => {
    const made = make("button", words);
    made.type = "button";
    made.className = "quiet";
    made.addEventListener("click", act);
    return made;
  };

  /* --- Drop and paste --- */

  const size = (bytes) => {
    const units = ["bytes", "KB", "MB", "GB"];
    let at = 0;
    for (; bytes >= 1000 && at < units.length - 1; at++)
      bytes /= 1000;
    return (at ? bytes.toFixed(1) : bytes) + " " + units[at];
  };

  const takeDrops = (form) => {
    const file = form.elements.file, text = form.elements.text;
    const submit = form.querySelector("button[type=submit]");
    const status = document.getElementById("drop-status");
    const most = 300000;           /* of a text that is sent as a field: 1 MiB, in UTF-8 up to 3 bytes each */

    const show = () => {
      status.textContent = file.files.length ? file.files[0].name + ", " + size(file.files[0].size) : "";
    };
    const take = (data) => {
      const words = data.getData("text/plain");
      if (data.files.length) {
        file.files = data.files;
        show();
      } else if (words) {
        text.value = words;
        status.textContent = words.split("\n").length + " lines of text";
      } else {
        return false;
      }
      submit.focus();
      return true;
    };
    let depth = 0;
    const over = (by) => {
      depth = by ? Math.max(0, depth + by) : 0;
      document.body.classList.toggle("over", depth > 0);
    };

    file.addEventListener("change", show);
    document.addEventListener("dragenter", () => over(1));
    document.addEventListener("dragleave", () => over(-1));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      over(0);
      if (take(event.dataTransfer))
        event.preventDefault();
    });
    document.addEventListener("paste", (event) => {
      if (event.target.closest("input, textarea") && !event.clipboardData.files.length)
        return;
      if (take(event.clipboardData))
        event.preventDefault();
    });
    form.addEventListener("submit", () => {
      if (!file.files.length && text.value.length > most) {
        const files = new DataTransfer();
        files.items.add(new File([text.value], "pasted.txt", { type: "text/plain" }));
        file.files = files.files;
        text.value = "";
      }
      status.textContent = "Sending...";
    });
    window.addEventListener("pageshow", show);
  };

  /* --- Copy --- */

  const select = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };

  const offerCopy = (node) => {
    const line = make("p", ""), said = make("span", "");
    said.setAttribute("role", "status");
    const copy = async () => {
      let done = false;
      try {
        await navigator.clipboard.writeText(node.textContent);
        done = true;
      } catch (_) {                /* no such thing on a page that came by plain HTTP */
        select(node);
        done = document.execCommand("copy");
      }
      said.textContent = done ? " Copied" : " Selected: copy it by the keyboard";
    };
    line.append(button("Copy", copy), said);
    node.before(line);
  };

  /* --- Live pages --- */

  /* What is the same stays where it is, with its focus, its scroll and what is open. */
  const patch = (old, fresh) => {
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
      old.replaceWith(document.importNode(fresh, true));
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== fresh.data)
        old.data = fresh.data;
      return;
    }
    for (const { name } of [...old.attributes])
      if (name !== "open" && !fresh.hasAttribute(name))
        old.removeAttribute(name);
    for (const { name, value } of fresh.attributes)
      if (name !== "open" && old.getAttribute(name) !== value)
        old.setAttribute(name, value);
    const theirs = [...fresh.childNodes], ours = [...old.childNodes];
    theirs.forEach((child, at) => {
      if (at < ours.length)
        patch(ours[at], child);
      else
        old.append(document.importNode(child, true));
    });
    ours.slice(theirs.length).forEach((child) => child.remove());
  };

  const isInUse = (section) => {
    const chosen = getSelection();
    return section.querySelector("form:hover, form:focus-within") ||
      (chosen && !chosen.isCollapsed && section.contains(chosen.anchorNode));
  };

  const keepFresh = (section) => {
    const seconds = Number(section.dataset.refresh) || 2;
    let isPaused = sessionStorage.getItem("paused") === "yes", isAsked = false;
    const line = make("p", ""), said = make("span", "");
    line.className = "refresh";

    const tell = (words) => {
      if (said.textContent !== words)
        said.textContent = words;
    };
    const look = () => {
      const asked = new XMLHttpRequest();
      isAsked = true;
      asked.open("GET", location.href);
      asked.responseType = "document";
      asked.timeout = 10000;
      asked.onloadend = () => {
        const fresh = asked.status === 200 && asked.response && asked.response.getElementById(section.id);
        isAsked = false;
        if (fresh && !isPaused && !isInUse(section))
          patch(section, fresh);
        if (!isPaused)
          tell(fresh ? "As of now, every " + seconds + " s." : "The service does not answer; it is asked again.");
      };
      asked.send();
    };
    const lookIfWanted = () => {
      if (!isPaused && !isAsked && !document.hidden)
        look();
    };
    const pause = button("Pause", () => {
      isPaused = !isPaused;
      sessionStorage.setItem("paused", isPaused ? "yes" : "no");
      show();
      lookIfWanted();
    });
    const show = () => {
      pause.setAttribute("aria-pressed", String(isPaused));
      tell(isPaused ? "Paused: what you see does not change." : "As of now, every " + seconds + " s.");
    };

    show();
    line.append(pause, said);
    section.before(line);
    setInterval(lookIfWanted, seconds * 1000);
    document.addEventListener("visibilitychange", lookIfWanted);
  };

  document.querySelectorAll("form.drop").forEach(takeDrops);
  document.querySelectorAll("pre[data-copy]").forEach(offerCopy);
  document.querySelectorAll("[data-refresh][id]").forEach(keepFresh);
})();
