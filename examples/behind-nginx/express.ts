import type { AddressInfo } from 'node:net'
import express from 'express'

const app = express()

app.use((request, response, next) => {
  const user = request.get('Remote-User') || request.get('Remote-Client')
  if (user) {
    response.locals.user = decodeURIComponent(user)
    next()
  } else response.sendStatus(401)
})

app.get('/whoami', (request, response) => {
  response.json({ user: response.locals.user, id: request.get('Remote-User-Id') ?? '' })
})

app.get('/reports', (_request, response) => {
  response.json(['Apples picked'])
})

const server = app.listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`)
})
