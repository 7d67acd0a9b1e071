import { useLingui } from '@lingui/react/macro'

/** Returns the words for the reasons of refusals; a reason of one protocol only keeps its code. */
export function useReasonWords(): (reason: string) => string {
  const { t } = useLingui()
  const words: Record<string, string> = {
    subject_invalid: t`No usable ID of the account`,
    user_removed: t`The user was deleted`,
    user_inactive: t`The user is disabled`,
    not_linked: t`Not linked to a user`,
    email_invalid: t`The email address is not valid`,
    email_unverified: t`The email address is not verified`,
    link_required: t`The user must link the account first`,
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
