// Parse Server on PostgreSQL, as a server that does nothing else. Arguments: see below. Prints a line when it listens.
//
// Set for speed, where its documentation offers a setting:
// - Its optional `@node-rs/bcrypt` is installed, which it uses instead of bcryptjs.
// - No log below errors, no log files, no console output, no GraphQL, no live queries.
// - The master key with each request, which saves the checks of permissions that a user would go through.
// - As many database connections as bare on PostgreSQL has.

import { parseArgs } from 'node:util'
import express from 'express'
import ParseServer from 'parse-server'

const { values } = parseArgs({
  options: { database: { type: 'string', default: '' }, port: { type: 'string', default: '8081' } },
})

const server = new ParseServer.ParseServer({
  databaseURI: `${values.database}?max=10`,
  appId: 'bench',
  masterKey: 'a-key-for-measurements-on-loopback-only',
  serverURL: `http://127.0.0.1:${values.port}/parse`,
  allowClientClassCreation: false,
  allowCustomObjectId: true,
  logLevel: 'error',
  silent: true,
  logsFolder: null,
})
await server.start()
const app = express()
app.use('/parse', server.app)
const listening = app.listen(Number(values.port), '127.0.0.1')
listening.once('listening', () => console.log('{}'))
