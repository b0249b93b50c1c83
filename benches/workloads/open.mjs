// A program that does no more with SQLite than to open a database.
import initSqlJs from 'sql.js';

const SQL = await initSqlJs();
new SQL.Database().close();
