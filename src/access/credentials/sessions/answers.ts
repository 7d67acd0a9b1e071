/** The texts of the session operations in the OpenAPI document. */
import type { Answers } from '../../../http/endpoint/operation.ts'
import { dryRun, json, jsonList, text } from '../../../http/endpoint/response-parts.ts'

export const listed: Answers = {
  200: {
    description: 'All sessions that have not ended, newest first.',
    content: jsonList('Session'),
  },
}

export const endedSessions: Answers = {
  200: {
    description: 'The session was ended. In a dry run `revoked` is false.',
    headers: dryRun,
    content: json('ConfirmationOfSignOut'),
  },
}

export const allEnded: Answers = {
  200: {
    description: 'The number of sessions ended. In a dry run: the number that would be.',
    headers: dryRun,
    content: json('ConfirmationOfSignOuts'),
  },
}

export const signedOut: Answers = {
  200: {
    ...endedSessions[200],
    headers: { ...dryRun, 'Set-Cookie': text('Deletes the cookie.') },
  },
}
