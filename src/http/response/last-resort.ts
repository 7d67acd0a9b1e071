import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { commonHeaders, problemContentType, toProblem } from './problem.ts'

type Respond = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined

/** Responds to what a handler of errors throws itself. Fastify would show the message to the caller, and log nothing. */
export function withLastResort(respond: Respond, publicBase: string): Respond {
  function giveUp(err: unknown, { id, log }: FastifyRequest, reply: FastifyReply): FastifyReply {
    log.error({ request_id: id, err }, 'an error could not be responded to')
    const refusal = new AppError('internal_error', 'The cause was logged with the request id in `instance`.')
    const problem = toProblem(refusal, id, publicBase)
    reply.code(problem.status).headers(commonHeaders).header('x-request-id', id).type(problemContentType)
    return reply.send(JSON.stringify(problem))
  }

  return (error, request, reply) => {
    try {
      return respond(error, request, reply)?.catch((err: unknown) => giveUp(err, request, reply))
    } catch (err) {
      giveUp(err, request, reply)
      return undefined
    }
  }
}
