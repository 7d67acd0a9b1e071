import { useLingui } from '@lingui/react/macro'
import type { MailKind, MailStatus } from 'rollbook/client'

export function useKindWords(): Record<MailKind, string> {
  const { t } = useLingui()
  return {
    invitation: t`Invitation`,
    verification: t`Confirmation of an address`,
    password_reset: t`Link for a new password`,
    sign_in_code: t`Code to sign in`,
    password_changed: t`Notice: password changed`,
    email_changed: t`Notice: address changed`,
    email_requested: t`Notice: address requested by another account`,
    email_renewed: t`Notice: address renewed by the company`,
    identity_linked: t`Notice: account linked`,
    impersonated: t`Notice: an administrator acts as the user`,
    new_sign_in: t`Notice: new sign-in`,
    key_created: t`Notice: API key created`,
    factor_added: t`Notice: second factor added`,
    factor_removed: t`Notice: second factor removed`,
    factors_reset: t`Notice: all second factors removed`,
    recovery_code_used: t`Notice: recovery code used`,
    recovery_codes_replaced: t`Notice: recovery codes replaced`,
    connection_changed: t`Notice: company sign-in changed`,
    certificate_expiring: t`Notice: certificate expires soon`,
    access_ending: t`Notice: access ends soon`,
    access_endings: t`Notice: access of users ends soon`,
    inactivity_notice: t`Notice: account will be disabled for inactivity`,
    membership_ending: t`Notice: membership of a group ends soon`,
    notices: t`Several notices`,
    access_request: t`Link to a request for access`,
    access_known: t`Access requested: has an account already`,
    access_waiting: t`Access requested: waits already`,
    access_declined: t`Access request declined`,
    access_company: t`Access requested: the company signs in`,
    access_requests: t`Notice: people ask for access`,
    review_due: t`Notice: access review due soon`,
    setup_link: t`Setup link of an organization`,
    test: t`Test message`,
  }
}

export function useStatusWords(): Record<MailStatus, string> {
  const { t } = useLingui()
  return { waiting: t`Waiting`, held: t`Held`, sent: t`Sent`, failed: t`Failed`, cancelled: t`Cancelled` }
}

/** The same words as in docs/email.md. */
export function useFaultWords(): (error: string) => string {
  const { t } = useLingui()
  const words: Record<string, string> = {
    deferred: t`The mail server may accept it later, for example because of greylisting or a full mailbox.`,
    rejected: t`The mail server refuses this message or its recipient for good.`,
    address_unsupported: t`Messages can only go to plain addresses. Change the user’s address.`,
    link_expired: t`Its link expired before the message could be sent.`,
    connection_failed: t`The mail server cannot be reached, or closed the connection.`,
    timeout: t`The mail server did not respond in time.`,
    name_unknown: t`The host name of the mail server was not found.`,
    tls_failed: t`The mail server offers no TLS connection that can be trusted.`,
    sign_in_refused: t`The mail server refuses the user name or the password.`,
    sender_rejected: t`The mail server refuses the sender’s address.`,
  }
  return (error) => words[error] ?? error
}
