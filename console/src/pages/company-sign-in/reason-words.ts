import { useLingui } from '@lingui/react/macro'

/** Returns the words for the reasons of refusals; a reason of one protocol only keeps its code. */
export function useReasonWords(): (reason: string) => string {
  const { t } = useLingui()
  const words: Record<string, string> = {
    subject_invalid: t`No usable ID of the account`,
    user_removed: t`The user was deleted`,
    user_inactive: t`The user is disabled`,
    user_expired: t`The access of the user has ended`,
    not_linked: t`Not linked to a user`,
    email_invalid: t`The email address is not valid`,
    email_unverified: t`The email address is not verified`,
    link_required: t`The user must link the account first`,
    address_reassigned: t`The address belongs to another user`,
    role_not_mapped: t`The account has more permissions than the mapping gives`,
    claims_incomplete: t`Signed in; a claim did not arrive whole`,
    address_kept: t`Signed in; the address was not renewed`,
    no_user: t`No such user`,
    name_taken: t`The username is taken`,
    identity_taken: t`The account is linked to another user`,
    other_user: t`The account of another user`,
    used_before: t`The message was used before`,
    incomplete: t`The test was not finished`,
    provider_unreachable: t`The provider cannot be reached`,
    provider_refused: t`The provider refused`,
    code_refused: t`The provider refused the code`,
    token_invalid: t`The response is not valid`,
    wrong_password: t`Wrong username or password`,
    not_recent: t`The provider did not ask the user again`,
    expired: t`The sign-in took too long`,
  }
  return (reason) => words[reason] ?? reason
}

/** Returns what an administrator can do about a refusal; undefined for the reasons of one protocol. */
export function useReasonDetails(): (reason: string | undefined) => string | undefined {
  const { t } = useLingui()
  const details: Record<string, string> = {
    subject_invalid: t`The response of the provider has no usable id of the account (OpenID Connect: sub). Check which value it is configured to use as the subject.`,
    user_removed: t`The user with this identity was deleted. Restore the user, or remove the identity.`,
    user_inactive: t`The user is disabled. Activate the user to let them sign in.`,
    user_expired: t`The end date of the user has passed: the one here, or the one that the claim of expires_at_claim names. Set a later one to let them sign in.`,
    not_linked: t`No user has this identity, and the provider sent no usable email address. Let the user sign in and link the connection, or let the provider send the claim email.`,
    email_invalid: t`The email address is not valid.`,
    email_unverified: t`The provider does not state that the address is verified. With OpenID Connect, email_verified must be true (Entra ID: xms_edov). With SAML and LDAP, set emails_verified if people cannot change their own address there. Or let the user link the connection while signed in.`,
    link_required: t`A user with this address exists, and the connection may not link them: its domain must be in trusted_domains, and the address must be verified here too, or no one may have used the account yet. The user can link the connection while signed in, or you link this account on the page of the user.`,
    address_reassigned: t`The user with this address has another account of this connection, so the provider has given the address to another person. It is renewed when that user signs in next; or change it now. Then this person can sign in. If both accounts belong to the same user, link this one as well, on the page of the user.`,
    role_not_mapped: t`The user holds permissions that this connection may not give. If they have never signed in, these are beyond its mapping: link the account on the page of the user, or take the role from the user until the first sign-in. A connection that an organization set up itself never signs in users with more permissions than the administrator who set it up.`,
    address_kept: t`The user signed in. The provider has changed their address, and another user has the new one, so the address here stays as it was. Change the address of the other user; then it is renewed at the next sign-in.`,
    no_user: t`No user has this identity or address, and no users are created for this domain. Create the user, or add the domain to provisioning_domains.`,
    name_taken: t`The username of a user equals this address, and the connection may not link them. Change the username, or link the account on the page of the user.`,
    identity_taken: t`Another user has already linked this account of the provider.`,
    other_user: t`The user confirmed with an account of the provider that is not linked to them.`,
    used_before: t`This message of the provider was used before. It may have been copied from another browser.`,
  }
  return (reason) => (reason === undefined ? undefined : details[reason])
}
