/** The texts of the session operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

const dryRun = {
  'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } },
}
const json = (schema: Record<string, unknown>) => ({ 'application/json': { schema } })

export const listed: Answers = {
  200: {
    description: 'All sessions that have not ended, newest first.',
    content: json({ type: 'array', items: { $ref: '#/components/schemas/Session' } }),
  },
}

export const ended: Answers = {
  200: {
    description: 'The session was ended. In a dry run `revoked` is false.',
    headers: dryRun,
    content: json({ $ref: '#/components/schemas/ConfirmationOfSignOut' }),
  },
}

export const allEnded: Answers = {
  200: {
    description: 'The number of sessions ended. In a dry run: the number that would be.',
    headers: dryRun,
    content: json({ $ref: '#/components/schemas/ConfirmationOfSignOuts' }),
  },
}

export const signedOut: Answers = {
  200: {
    ...ended[200],
    headers: { ...dryRun, 'Set-Cookie': { description: 'Deletes the cookie.', schema: { type: 'string' } } },
  },
}
