(function () {
	'use strict';
	var root = document.documentElement;
	root.classList.add('scripted');
	var theme = document.getElementById('theme');
	theme.addEventListener('click', function () {
		var dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
		root.dataset.theme = dark ? 'light' : 'dark';
	});
	var form = document.getElementById('filters');
	if (!form) { return; }
	var articles = Array.from(document.querySelectorAll('article')).map(function (el) {
		return {el: el, class: el.dataset.class, kinds: el.dataset.kinds.split(' '), library: el.dataset.library,
			stability: el.dataset.stability, go: el.dataset.breaks.split(' ').includes('go'), text: el.dataset.text};
	});
	var search = document.getElementById('search');
	var library = document.getElementById('library');
	var stability = document.getElementById('stability');
	var forGo = document.getElementById('forgo');
	var boxes = function (name) { return Array.from(form.querySelectorAll('input[name=' + name + ']')); };

	// passes tells whether an article passes all filters but one.
	function passes(a, f, but) {
		return (but === 'class' || f.classes.has(a.class)) &&
			(but === 'kind' || !f.kinds.size || a.kinds.some(function (k) { return f.kinds.has(k); })) &&
			(but === 'library' || !f.library || a.library === f.library) &&
			(but === 'stability' || !f.stability || a.stability === f.stability) &&
			(!f.go || a.go) &&
			f.words.every(function (w) { return a.text.includes(w); });
	}

	function update() {
		var checked = function (name) { return new Set(boxes(name).filter(function (b) { return b.checked; }).map(function (b) { return b.value; })); };
		var f = {classes: checked('class'), kinds: checked('kind'), library: library.value, stability: stability.value, go: forGo.checked,
			words: search.value.toLowerCase().split(/\s+/).filter(Boolean)};
		var shown = 0;
		articles.forEach(function (a) {
			a.el.hidden = !passes(a, f);
			if (!a.el.hidden) { shown++; }
		});
		document.querySelectorAll('section').forEach(function (s) {
			var n = s.querySelectorAll('article:not([hidden])').length;
			s.hidden = n === 0;
			s.querySelector('.count').textContent = n;
		});
		document.getElementById('shown').textContent = shown;
		document.getElementById('nothing').hidden = shown > 0;
		boxes('class').forEach(function (b) {
			b.parentNode.querySelector('output').textContent = articles.filter(function (a) { return a.class === b.value && passes(a, f, 'class'); }).length;
		});
		boxes('kind').forEach(function (b) {
			b.parentNode.querySelector('output').textContent = articles.filter(function (a) { return a.kinds.includes(b.value) && passes(a, f, 'kind'); }).length;
		});
		[[library, 'library'], [stability, 'stability']].forEach(function (p) {
			Array.from(p[0].options).forEach(function (o) {
				if (o.value) {
					o.textContent = o.value + ' (' + articles.filter(function (a) { return a[p[1]] === o.value && passes(a, f, p[1]); }).length + ')';
				}
			});
		});
	}

	// reveal shows the change that the address names, whatever the filters say.
	function reveal() {
		var el = document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (el && el.hidden) {
			form.reset();
			update();
		}
		if (el && el.tagName === 'ARTICLE') { el.scrollIntoView(); }
	}

	form.addEventListener('input', update);
	form.addEventListener('reset', function () { setTimeout(update); });
	form.addEventListener('submit', function (e) { e.preventDefault(); });
	window.addEventListener('hashchange', reveal);
	document.addEventListener('keydown', function (e) {
		if (e.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
			e.preventDefault();
			search.focus();
		} else if (e.key === 'Escape' && document.activeElement === search) {
			search.value = '';
			update();
		}
	});
	update(); // the browser may have kept what was chosen
	reveal();
})();
