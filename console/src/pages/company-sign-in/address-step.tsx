import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { SignInConnection } from 'rollbook/client'
import { Section } from '../../ui/section.tsx'
import { Addresses } from './addresses.tsx'
import styles from './sign-in-connections.module.css'

export function AddressStep({ connection, onContinue }: { connection: SignInConnection; onContinue: () => void }) {
  return (
    <Section
      title={<Trans>For the provider</Trans>}
      description={<Trans>Register a web application there, and copy these addresses exactly as they are.</Trans>}
    >
      <Addresses connection={connection} />
      <div className={styles.foot}>
        <Button onClick={onContinue}>
          <Trans>Continue</Trans>
        </Button>
      </div>
    </Section>
  )
}
