// Generated sources, the same on every run.

/** JavaScript with `n` functions. */
export function javascript(n) {
  let out = '';
  for (let i = 0; i < n; i++) {
    out += `export function f${i}(a, b = ${i}) {
	let sum = 0;
	for (let i = 0; i < a; i++) if (i % ${(i % 7) + 2} === 0) sum += b * i; else sum ^= i << ${i % 5};
	const o = { k${i}: sum, get v() { return \`x\${sum}\`; }, ...(sum > 3 ? { z: [1, 2, ...[sum]] } : {}) };
	return o.k${i} + ${i ? `f${i - 1}(a - 1)` : '0'};
}
`;
  }
  return out;
}

/** Go with `n` functions, badly formatted. */
export function go(n) {
  let out = 'package a\nimport ("fmt")\n';
  for (let i = 0; i < n; i++) {
    out += `func F${i}(a int,b string)(int,error){ if a>${i}{ for i:=0;i<a;i++{ fmt.Println( b,i ) } };x:=map[string]int{"a":1,"bb":${i}}; return x["a"]+a,nil}\n`;
  }
  return out;
}
