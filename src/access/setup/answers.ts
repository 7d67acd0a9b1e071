/** The texts of the setup in the OpenAPI document. */
import type { Answers } from '../../http/endpoint/operation.ts'
import { created as sessionCreated } from '../sign-in/answers.ts'

export const stateDescription = `Whether there is no active administrator yet among the users: then the link that the start
prints on a terminal, or \`rollbook admin link\`, makes one. Needs no credential, and tells nothing else.`

export const stateFound: Answers = {
  200: {
    description: 'Whether an administrator is missing.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/SetupState' } } },
  },
}

export const completeDescription = `Makes the first administrator with the token of a one-time link, and signs them in: the
user, the session, the audit record and the events are one commit, in which the link is used up. The token is 256 random
bits, good for 24 hours and for one use; a newer link takes its place. As soon as there is an active administrator, made in
whatever way, no link is good any more.

From a browser this works on pages of the same origin only. There is no dry run and no \`Idempotency-Key\`: the link can be
used once, and whoever repeats the request signs in.`

export const completed: Answers = {
  201: { ...sessionCreated[201], description: 'The administrator was made, and is signed in.' },
}
