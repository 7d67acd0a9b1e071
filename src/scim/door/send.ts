import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaType } from './media-type.ts'

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function send(reply: FastifyReply, status: number, body: string | Uint8Array): FastifyReply {
  return reply.code(status).type(mediaType(reply.request)).send(body)
}
