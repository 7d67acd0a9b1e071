import { useLingui } from '@lingui/react/macro'
import type { SignInConnection } from 'rollbook/client'
import { CopyLine } from '../../ui/copy.tsx'
import styles from './sign-in-connections.module.css'

/** Values to copy to the provider, under the names that providers use for them. */
export function Addresses({ connection }: { connection: SignInConnection }) {
  const { t } = useLingui()
  const rows: { label: string; names?: string; value: string | undefined }[] = [
    { label: t`Redirect URI`, names: t`Also: callback URL, sign-in redirect URI`, value: connection.redirect_uri },
    {
      label: t`Entity ID and metadata address`,
      names: t`Also: identifier, audience URI, SP entity ID`,
      value: connection.sp_entity_id,
    },
    { label: t`ACS URL`, names: t`Also: reply URL, single sign-on URL, recipient`, value: connection.acs_url },
    {
      label: t`Address after signing out`,
      names: t`If users sign out at the provider as well`,
      value: connection.post_logout_redirect_uri,
    },
    {
      label: t`Back-channel logout URI`,
      names: t`If the provider signs users out here`,
      value: connection.backchannel_logout_uri,
    },
    {
      label: t`Global token revocation URI`,
      names: t`If the provider ends all sessions of an account here`,
      value: connection.global_token_revocation_uri,
    },
  ]
  return (
    <dl className={styles.addresses}>
      {rows.map(({ label, names, value }) =>
        value === undefined ? null : (
          <div key={label}>
            <dt>
              {label}
              {names !== undefined && <span className={styles.quiet}>{names}</span>}
            </dt>
            <dd>
              <CopyLine text={value} label={label} />
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}
