/** Why a SAML message is refused. The administrator reads it on the connection's page; the user gets the same page for all. */
type SamlReason =
  | 'message_malformed'
  | 'message_too_large'
  | 'message_forbidden'
  | 'assertion_count'
  | 'signature_missing'
  | 'signature_form'
  | 'signature_weak'
  | 'signature_invalid'
  | 'encryption_refused'
  | 'decryption_failed'
  | 'provider_refused'
  | 'version_wrong'
  | 'issuer_wrong'
  | 'destination_wrong'
  | 'in_response_to_wrong'
  | 'subject_missing'
  | 'subject_transient'
  | 'confirmation_missing'
  | 'recipient_wrong'
  | 'confirmation_expired'
  | 'conditions_missing'
  | 'audience_wrong'
  | 'expired'
  | 'not_yet_valid'
  | 'authentication_missing'
  | 'session_expired'

export class SamlRefusal extends Error {
  readonly reason: SamlReason
  /** The claims of the assertion, if its signature was valid. */
  judged: { subject: string | undefined; attributes: ReadonlyMap<string, readonly string[]> } | undefined

  /** @param detail what is wrong and what to change; it quotes what the provider sent only where `quoted` was used */
  constructor(reason: SamlReason, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.reason = reason
  }
}

/** Shortens a provider's text to one line for the administrator. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed()
}
