/** The texts of the operations that identity providers call, for the OpenAPI document. */
import type { operation } from '../../../http/endpoint/operation.ts'
import { publicChangeProblems } from '../../../http/endpoint/problem-lists.ts'

type Described = Parameters<typeof operation>[0]

const failure = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', enum: ['invalid_request', 'invalid_token'] },
    error_description: { type: 'string', description: 'The reason, for the logs of the provider.' },
  },
}

const refusal = (description: string, error: string, error_description: string) => ({
  description,
  content: { 'application/json': { schema: failure, example: { error, error_description } } },
})

/** Calls by an identity provider: their token is the credential, and repeating one has no second effect. */
const shared = {
  method: 'POST',
  access: 'public',
  scope: 'global',
  calledBy: 'provider',
  isRepeatable: true,
  problems: [
    ...publicChangeProblems,
    ...(['malformed_json', 'body_too_large', 'connection_not_found', 'provider_unavailable', 'rate_limited'] as const),
  ],
} as const

const caller = `**Called by the identity provider**, not by users or API keys: the token that it has signed is the only credential, and is accepted once. Register this address with the provider; the connection shows it as`

const loggedOut = {
  200: { description: 'The sessions are ended, or there were none.' },
  400: refusal('The token is missing or not valid.', 'invalid_request', 'The form has no logout_token.'),
}

export const backchannelLogout: Described = {
  ...shared,
  name: 'take_backchannel_logout',
  path: '/connections/{connection_id}/backchannel-logout',
  description: `Ends the sessions of the account, or of the session at the provider, that a logout token names (OpenID Connect Back-Channel Logout 1.0), and revokes their access tokens.

${caller} \`backchannel_logout_uri\`. The token in the example has no valid signature, so the response to it is 400.`,
  responses: loggedOut,
  bodies: {
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'object',
        required: ['logout_token'],
        properties: { logout_token: { type: 'string', description: 'The signed token, of the type `logout+jwt`.' } },
      },
      example: {
        logout_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl',
      },
    },
  },
}

const text = { type: 'string', minLength: 1, maxLength: 320 }
const account = (format: string, names: string[]) => ({
  type: 'object',
  required: ['format', ...names],
  properties: { format: { type: 'string', const: format }, ...Object.fromEntries(names.map((name) => [name, text])) },
})

const revoked = {
  204: { description: 'The sessions and access tokens of the user are ended.' },
  400: refusal(
    'The body names no account.',
    'invalid_request',
    'sub_id must have the format iss_sub, email or opaque.',
  ),
  401: refusal(
    'The token is missing or not valid.',
    'invalid_token',
    'Send the signed token as Authorization: Bearer.',
  ),
  404: refusal('No user is linked to this account.', 'invalid_request', 'No user has this account.'),
}

export const globalTokenRevocation: Described = {
  ...shared,
  name: 'take_global_token_revocation',
  path: '/connections/{connection_id}/global-token-revocation',
  security: [{ ProviderToken: [] }],
  description: `Ends all sessions and access tokens of the user who is linked to an account (draft-parecki-oauth-global-token-revocation).

${caller} \`global_token_revocation_uri\`. The account is looked up in this connection only. The example needs a token of the provider; without it the response is 401.`,
  responses: revoked,
  bodies: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['sub_id'],
        properties: {
          sub_id: {
            description: 'The account (RFC 9493).',
            oneOf: [account('iss_sub', ['iss', 'sub']), account('email', ['email']), account('opaque', ['id'])],
          },
        },
      },
      example: { sub_id: { format: 'iss_sub', iss: 'https://idp.example.com', sub: '4711' } },
    },
  },
}
