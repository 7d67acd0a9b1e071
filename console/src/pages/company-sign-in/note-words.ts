import { useLingui } from '@lingui/react/macro'
import type { SignInClaim } from 'rollbook/client'

type Note = SignInClaim['notes'][number]

/** Returns what a claim means, in words; undefined if this console does not know a note. */
export function useNoteWords(): (claim: SignInClaim) => string | undefined {
  const { t } = useLingui()
  const wordsOf = ({ code, name = '', count = 0, total = 0 }: Note): string | undefined => {
    const words: Record<Note['code'], string> = {
      subject: t`Identifies the account, with the connection.`,
      subject_attribute: t`Read from the attribute ${name} of the entry.`,
      subject_missing: t`Missing, or not usable.`,
      email_missing: t`Missing: without an address no user is linked or created.`,
      email_malformed: t`Not a plain email address, so it is ignored.`,
      domain_trusted: t`Domain ${name}: trusted for linking.`,
      domain_untrusted: t`Domain ${name}: not trusted for linking.`,
      domain_provisioned: t`Users are created for this domain.`,
      domain_not_provisioned: t`No users are created for this domain.`,
      address_verified: t`The provider states that the address is verified.`,
      address_unverified: t`Not stated to be verified.`,
      entra_email_verified: t`Does not count for Entra ID; xms_edov does.`,
      addresses_verified: t`Addresses of this connection count as verified (emails_verified).`,
      addresses_unverified: t`Addresses of this connection do not count as verified: emails_verified is false, or there is no address.`,
      names: t`The names of a new user.`,
      first_name: t`The first name of a new user.`,
      last_name: t`The last name of a new user.`,
      login_ignored: t`Not used: logins change hands.`,
      username_ignored: t`Ignored: the address becomes the username of a new user.`,
      group_names: t`Names of groups, with groups in groups.`,
      group_dns: t`The same groups by their distinguished names.`,
      role_mapped: t`Gives the role ${name}.`,
      role_unmatched: t`Matches no role, so the default role applies: ${name}.`,
      role_missing: t`Missing, so the role stays as it is; a new user gets the default role. See missing_claims.`,
      role_overage: t`Left out by the provider, because there is too much of it: the role stays as it is.`,
      role_unreadable: t`No text, number or boolean, list of them, or object: the role stays as it is.`,
      groups_missing: t`Missing, so the groups stay as they are. See missing_claims.`,
      groups_overage: t`Left out by the provider, because there is too much of it: the groups stay as they are.`,
      groups_unreadable: t`No text, number or boolean, list of them, or object: the groups stay as they are.`,
      groups_mapped: t`Groups of the mapping that the user joins: ${count} of ${total}.`,
      attribute_mapped: t`Sets the attribute ${name}.`,
      attribute_unmapped: t`Missing, or no plain value: the attribute ${name} stays as it is.`,
      expires_at_mapped: t`The access ends at ${name}.`,
      expires_at_never: t`The access does not end.`,
      expires_at_missing: t`Missing, so the end date stays as it is. See missing_claims.`,
      expires_at_overage: t`Left out by the provider, because there is too much of it: the end date stays as it is.`,
      expires_at_unreadable: t`No date that can be read: the end date stays as it is.`,
      factor: t`Counts as a second factor, or acr does.`,
      no_factor: t`Does not count as a second factor.`,
      acr_ignored: t`Not looked at.`,
      acr_compared: t`Compared with acr_values.`,
      auth_time: t`When the user signed in there.`,
      auth_time_missing: t`Missing: the sign-in does not count as recent.`,
    }
    return words[code]
  }
  return ({ notes }) => {
    const sentences = notes.map(wordsOf)
    return sentences.length === 0 || sentences.includes(undefined) ? undefined : sentences.join(' ')
  }
}
