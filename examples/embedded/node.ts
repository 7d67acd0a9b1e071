import { createServer } from 'node:http'
import { openRollbook, VerifyError } from 'rollbook/server'

const { PORT = '3000' } = process.env
const rollbook = await openRollbook({ ROLLBOOK_PUBLIC_URL: `http://localhost:${PORT}/auth` })

const server = createServer(async (request, response) => {
  if (request.url !== '/whoami') return rollbook.handler(request, response)
  try {
    const { id, permissions } = await rollbook.verify(request)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id, permissions }))
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error
    response.writeHead(error.status, error.headers).end(JSON.stringify(error.toProblem()))
  }
})

server.listen(Number(PORT), () => console.log(`listening on http://localhost:${PORT}`))
process.once('SIGTERM', async () => {
  server.close()
  await rollbook.close()
  server.closeAllConnections()
})
