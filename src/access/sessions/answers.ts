/** What the OpenAPI document says of the operations on sessions. */
import type { Answers } from '../../http/endpoint/operation.ts'

const dryRun = {
  'Dry-Run': { description: '`true`: nothing was changed.', schema: { type: 'string' } },
}
const json = (schema: Record<string, unknown>) => ({ 'application/json': { schema } })

export const createDescription = `Signs a person in with username or e-mail address and password. The answer sets the cookie of
the session; its value stands nowhere else. A session whose cookie came along ends.

Unknown, without a password, disabled, locked, or simply the wrong password: the answer is the same, in words and in time.
After several failures further tries have to wait, \`Retry-After\` says how long. From a browser this works on pages of the
same origin only. There is no dry run and no \`Idempotency-Key\`: signing in again makes another session.`

export const created: Answers = {
  201: {
    description: 'The person is signed in.',
    headers: {
      Location: { description: 'Where the session can be ended.', schema: { type: 'string' } },
      'Set-Cookie': {
        description:
          'The session, and a mark by which this browser is known when somebody guesses passwords elsewhere.',
        schema: { type: 'string' },
      },
    },
    content: json({ $ref: '#/components/schemas/Session' }),
  },
}

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
