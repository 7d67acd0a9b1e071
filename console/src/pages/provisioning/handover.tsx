import { Trans, useLingui } from '@lingui/react/macro'
import { SecretOnce } from '../../parts/keys/secret-once.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import styles from './provisioning.module.css'

/** Values to enter in the identity provider. */
export function Handover({ scimUrl, secret }: { scimUrl: string; secret: string }) {
  const { t } = useLingui()
  return (
    <>
      <div className={styles.field}>
        <p className={styles.label}>
          <Trans>SCIM address (base URL, tenant URL)</Trans>
        </p>
        <CopyLine text={scimUrl} label={t`the SCIM address`} />
      </div>
      <SecretOnce secret={secret} label={t`the key`}>
        <Trans>
          Enter both in the identity provider: the address, and the key as its bearer token (secret token, API token).
          Then test the connection there.
        </Trans>
      </SecretOnce>
    </>
  )
}
