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
        description={t`Users of the product may also need an account in its database. Create it separately.`}
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
