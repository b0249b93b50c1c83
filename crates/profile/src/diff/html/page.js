document.getElementById('find').addEventListener('input', ({ target }) => {
  const wanted = target.value.toLowerCase();
  for (const row of document.querySelectorAll('tbody tr'))
    row.hidden = !row.lastElementChild.textContent.toLowerCase().includes(wanted);
});
