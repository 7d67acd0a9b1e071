/** The texts of the session operations in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

const dryRun = {
  'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } },
}
const json = (schema: Record<string, unknown>) => ({ 'application/json': { schema } })

export const listed: Answers = {
  200: {
    description: 'Every session that has not ended, the latest first.',
    content: json({ type: 'array', items: { $ref: '#/components/schemas/Session' } }),
  },
}

export const ended: Answers = {
  200: {
    description: 'The session was ended; in a dry run `revoked` is false.',
    headers: dryRun,
    content: json({ $ref: '#/components/schemas/ConfirmationOfSignOut' }),
  },
}

export const allEnded: Answers = {
  200: {
    description: 'The sessions were ended; in a dry run, so many would be.',
    headers: dryRun,
    content: json({ $ref: '#/components/schemas/ConfirmationOfSignOuts' }),
  },
}

export const signedOut: Answers = {
  200: {
    ...ended[200],
    headers: { ...dryRun, 'Set-Cookie': { description: 'Takes the cookie away.', schema: { type: 'string' } } },
  },
}
