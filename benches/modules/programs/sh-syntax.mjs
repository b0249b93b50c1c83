// parses and formats a shell script, and one with an error (TinyGo, Asyncify)
import { parse, print } from 'sh-syntax';
import { digest } from './digest.mjs';

const line = 'if [ -f x ];then echo "$a" ; for i in 1 2;do   echo $((i*2)) | sed s/1/2/;done; fi\n';
const text = line.repeat(50);
const { Stmts } = await parse(text);
const error = await parse('if [ ').catch((error) => error.message);
console.log('RESULT', Stmts.length, digest(await print(text)), error);
