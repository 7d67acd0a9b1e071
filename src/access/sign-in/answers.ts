/** The texts of sign-in in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'

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
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Session' } } },
  },
}
