// json, regular expressions, sorting and an exception in Python
import { loadPyodide } from 'pyodide';

const python = await loadPyodide();
const result = python.runPython(`
import json, re, hashlib
words = re.findall(r"\\w+", "the quick brown fox jumps over the lazy dog " * 50)
try:
    1 / 0
except ZeroDivisionError as e:
    words.append(str(e))
hashlib.md5(json.dumps(sorted(words)).encode()).hexdigest()
`);
console.log('RESULT', result);
