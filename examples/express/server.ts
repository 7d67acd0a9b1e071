/**
 * A main API on Express that accepts Rollbook's users, tokens and API keys. In this checkout:
 *
 *   ROLLBOOK_URL=http://127.0.0.1:8080/auth ROLLBOOK_KEY=rb_… node --conditions=rollbook-source examples/express/server.ts
 */
import type { AddressInfo } from 'node:net'
import { createVerifier } from '@rollbook/sdk/verify'
import { guard } from '@rollbook/sdk/verify/express'
import express from 'express'

const { ROLLBOOK_URL = 'http://127.0.0.1:8080/auth', ROLLBOOK_KEY, PORT = '3000' } = process.env

const verifier = createVerifier({ issuer: ROLLBOOK_URL, key: ROLLBOOK_KEY })
const requires = guard(verifier)

const app = express()

app.get('/whoami', requires(), ({ caller: { kind, id, username, permissions } }, response) => {
  response.json({ kind, id, username, permissions })
})

app.get('/reports', requires('reports:read'), (_request, response) => {
  response.json([{ report_id: 1, title: 'Apples picked' }])
})

app.post('/reports', requires('reports:write'), ({ caller }, response) => {
  response.status(201).json({ report_id: 2, author: caller.id })
})

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
server.on('close', () => verifier.close())
