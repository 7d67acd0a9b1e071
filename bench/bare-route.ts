// The yardstick of an answer that needs no store: a Fastify route, and nothing else. Argument: the port.
import fastify from 'fastify'

const app = fastify()
app.get('/verify/nginx', (_request, reply) => {
  reply.send()
})
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
