/** What a failure of a provider means, in words that name claims but not their values. */
import * as client from 'openid-client'
import { SendFailure } from '../../../http/outgoing/agent.ts'
import { isUnreachable, ProtocolFailure } from '../connections/service.ts'

/** Whether the token endpoint refused who we are, not the code (RFC 6749 §5.2). */
export function isClientRefused(error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError) return true
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_client' || error.status === 401
  return error instanceof Error && error.cause instanceof Response && error.cause.status === 401
}

/** Whether everyone is affected, not one code: the provider fails, refuses our credentials, or sends something else than JSON. */
export function isOfProvider(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: unknown }
  const isOdd = /^OAUTH_(PARSE_ERROR|RESPONSE_IS_NOT_(JSON|CONFORM))$/.test(String(code))
  return isOdd || isClientRefused(error) || isUnreachable(failureOf(error, false))
}

export function failureOf(error: unknown, isFresh: boolean): ProtocolFailure {
  if (error instanceof ProtocolFailure) return error
  const cause = error
  if (isClientRefused(error)) {
    const detail =
      'The provider refused this client (invalid_client). Compare client_id and client_secret with what the provider shows. If they are right, the provider may expect the secret in another way: set token_endpoint_auth_method.'
    return new ProtocolFailure('code_refused', detail, { cause })
  }
  const status = failedStatusIn(error)
  if (status !== undefined) {
    return new ProtocolFailure('provider_unreachable', `The provider responded with the status ${status}.`, { cause })
  }
  if (error instanceof client.AuthorizationResponseError) {
    return new ProtocolFailure('provider_refused', `The provider answered with ${word(error.error)}.`, { cause })
  }
  if (error instanceof client.ResponseBodyError) {
    return new ProtocolFailure('code_refused', `The provider refused the code: ${word(error.error)}.`, { cause })
  }
  const failure = sendFailureIn(error)
  if (failure !== undefined) {
    return new ProtocolFailure('provider_unreachable', `The provider did not answer: ${failure.word}.`, { cause })
  }
  const detail = `The response of the provider is not valid: ${wordsOf(error)}`
  const isLate = isFresh && /auth_time|elapsed since the last End-User authentication/.test(detail)
  return new ProtocolFailure(isLate ? 'not_recent' : 'token_invalid', detail, { cause })
}

export function userInfoFailure(error: unknown): ProtocolFailure {
  if (error instanceof ProtocolFailure) return error
  const isOtherSubject = (error as { code?: unknown }).code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
  const detail = `The UserInfo endpoint of the provider cannot be read: ${wordsOf(error)}`
  return new ProtocolFailure(isOtherSubject ? 'token_invalid' : 'provider_unreachable', detail, { cause: error })
}

/** The provider chooses this text. */
function word(text: string): string {
  return /^[\w.-]{1,64}$/.test(text) ? text : 'an unknown error'
}

function sendFailureIn(error: unknown): SendFailure | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof SendFailure) return one
  return undefined
}

/** The status with which a provider says that it does not work now. The library passes the response on as a cause. */
function failedStatusIn(error: unknown): number | undefined {
  for (let one = error; one instanceof Error || one instanceof Response; one = (one as { cause?: unknown }).cause) {
    const { status } = one as { status?: unknown }
    if (typeof status === 'number' && (status >= 500 || status === 429)) return status
  }
  return undefined
}

/** The messages of the library and of ours name claims, not their values. */
export function wordsOf(error: unknown): string {
  const failure = sendFailureIn(error)
  if (failure !== undefined) return failure.word
  const texts: string[] = []
  for (let one = error; one instanceof Error && texts.length < 3; one = one.cause) {
    // The library's wrapper around any other failure.
    if (one.message !== 'something went wrong') texts.push(one.message)
  }
  const code = (error as { code?: unknown }).code
  return `${texts.join(': ')}${typeof code === 'string' ? ` (${code})` : ''}`.slice(0, 500)
}
