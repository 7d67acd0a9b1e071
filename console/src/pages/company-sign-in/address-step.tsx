import { Trans } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import type { SignInConnection } from 'rollbook/client'
import { Section } from '../../ui/section.tsx'
import { Addresses } from './addresses.tsx'

export function AddressStep({ connection, onContinue }: { connection: SignInConnection; onContinue: () => void }) {
  return (
    <Section
      title={<Trans>For the provider</Trans>}
      description={<Trans>Register a web application there, and copy these addresses exactly as they are.</Trans>}
    >
      <Addresses connection={connection} />
      <Group gap="sm">
        <Button onClick={onContinue}>
          <Trans>Continue</Trans>
        </Button>
      </Group>
    </Section>
  )
}
