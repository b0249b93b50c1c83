// gofmt: TinyGo.
import { format } from '@wasm-fmt/gofmt/gofmt_node.js';
import { result, small } from './source.mjs';

let source = 'package a\nimport ("fmt")\n';
for (let i = 0; i < (small ? 1 : 300); i++) {
  source += `func F${i}(a int,b string)(int,error){ if a>${i}{ for i:=0;i<a;i++{ fmt.Println( b,i ) } };x:=map[string]int{"a":1,"bb":${i}}; return x["a"]+a,nil}\n`;
}
result(format(source));
