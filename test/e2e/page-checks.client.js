/**
 * Checks of a page in the browser that do not depend on its content. The script is put into every page before the
 * page's own content, so that it sees each shift of the layout.
 */
(() => {
  let shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });

  /** Returns the visible texts, each with the boxes of its lines and its layer. */
  const seenTexts = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest('script, style, noscript, option')) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
      // Text for screen readers only is in a box of one pixel.
      const hidden = [...ancestorsOf(element)].some((box) => box.clientWidth <= 1 && isCut(box));
      if (boxes.length > 0 && !hidden) texts.push({ node, element, boxes, layer: layerOf(element) });
    }
    return texts;
  };
  function* ancestorsOf(element) {
    for (let box = element; box && box !== document.body; box = box.parentElement) yield box;
  }
  const isCut = (box) => /hidden|clip/.test(getComputedStyle(box).overflow);
  /** Returns the element above the page that contains this one, such as an open menu: it may cover what is under it. */
  const layerOf = (element) =>
    [...ancestorsOf(element)].find((box) => /absolute|fixed|sticky/.test(getComputedStyle(box).position));
  const shown = ({ node }) => JSON.stringify(node.data.trim().slice(0, 40));

  const overflowing = (texts) => {
    const over = document.documentElement.scrollWidth - innerWidth;
    // Tabs scroll sideways in their own box.
    const scrolls = (element) =>
      [...ancestorsOf(element)].some((box) => /auto|scroll/.test(getComputedStyle(box).overflowX));
    const beside = texts.filter(
      ({ boxes, element }) =>
        boxes.some((box) => box.left < -1 || box.right > innerWidth + 1) && !scrolls(element),
    );
    return [
      ...(over > 0 ? [`${over} px wider than the window`] : []),
      ...beside.map((text) => `outside: ${shown(text)}`),
    ];
  };
  /** Returns texts that leave their control, or are cut off by a box around them. */
  const clipped = (texts) =>
    texts.flatMap((text) => {
      const cut = [...ancestorsOf(text.element)].find(
        (box) =>
          isCut(box) && (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1),
      );
      const frame = text.element.closest('button, a, summary, [role=status], [role=alert]');
      const area =
        frame && getComputedStyle(frame).display !== 'inline' ? frame.getBoundingClientRect() : undefined;
      const spills =
        area &&
        text.boxes.some(
          (box) =>
            box.left < area.left - 1 ||
            box.right > area.right + 1 ||
            box.top < area.top - 2 ||
            box.bottom > area.bottom + 2,
        );
      return cut || spills ? [`clipped: ${shown(text)}`] : [];
    });
  const overlapping = (texts) =>
    texts.flatMap((text, index) =>
      texts.slice(index + 1).flatMap((other) => {
        if (text.layer !== other.layer) return [];
        const meets = text.boxes.some((a) =>
          other.boxes.some(
            (b) =>
              Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
              // Lines of one text stand closer than their letters are tall in some scripts.
              Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.min(a.height, b.height) / 3,
          ),
        );
        return meets ? [`${shown(text)} overlaps ${shown(other)}`] : [];
      }),
    );

  /**
   * Returns texts and names outside the catalogue: in the pseudo-locale every message is in brackets. `values` are
   * exempt, as are values that a page marks (bdi, code, translate=no, a language of its own).
   */
  const outsideCatalogue = (values) => {
    const found = [];
    let depth = 0;
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('script, style')) continue;
      let outside = '';
      for (const letter of node.data) {
        if (letter === '[') depth += 1;
        else if (letter === ']') depth -= 1;
        else if (depth === 0) outside += letter;
      }
      const value = node.parentElement.closest('bdi, code, [translate=no], body [lang]');
      if (/[\p{L}\p{N}]/u.test(outside) && !value && !values.includes(outside.trim()))
        found.push(outside.trim());
    }
    for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'aria-description']) {
      for (const element of document.querySelectorAll(`body [${name}]`)) {
        const text = element.getAttribute(name);
        if (/\p{L}/u.test(text) && !/^\[.*\]$/s.test(text) && !values.includes(text))
          found.push(`${name}: ${text}`);
      }
    }
    return found;
  };

  globalThis.pageChecks = {
    /** Replaces this document with another one, without loading it. */
    lay(markup, unfold) {
      const root = document.documentElement;
      const taken = new DOMParser().parseFromString(markup, 'text/html').documentElement;
      for (const name of root.getAttributeNames()) root.removeAttribute(name);
      for (const { name, value } of taken.attributes) root.setAttribute(name, value);
      // A browser with scripts ignores noscript.
      for (const element of taken.querySelectorAll('noscript')) element.remove();
      root.replaceChildren(...taken.children);
      if (unfold === null) return;
      document.querySelector(unfold).open = true;
    },
    layout() {
      const texts = seenTexts();
      return [...overflowing(texts), ...clipped(texts), ...overlapping(texts)];
    },
    outsideCatalogue,
    /**
     * Returns the size of the page in bytes before compression, the addresses of its other resources, and the layout
     * shift.
     */
    weight() {
      const [page] = performance.getEntriesByType('navigation');
      const others = performance.getEntriesByType('resource');
      const bytes = [page, ...others].reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
      return { bytes, requests: others.map(({ name }) => name), shifted };
    },
  };
})();
