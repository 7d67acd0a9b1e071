import { useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import type { User } from 'rollbook/client'
import { DatabaseAccount } from '../../../parts/database-account/database-account.tsx'
import { Section } from '../../../ui/section.tsx'

export function DatabaseTab({ user: { username } }: { user: User }) {
  const { t } = useLingui()
  return (
    <Stack gap="lg">
      <Section
        title={t`When a user joins`}
        description={t`Many users of the product also need an account in its database. That is a separate step.`}
      >
        <DatabaseAccount username={username} kind="create" />
      </Section>
      <Section
        title={t`When a user leaves`}
        description={t`The two accounts are independent: deleting, disabling or renaming one, or changing its password, does not affect the other.`}
      >
        <DatabaseAccount username={username} kind="drop" />
      </Section>
    </Stack>
  )
}
