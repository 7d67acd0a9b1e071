/** How to get the first users, below a list that has only the viewer. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useCan } from '../../api/me.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { IconImport, IconPlus } from '../../ui/icons.tsx'
import styles from './first-users.module.css'

export function FirstUsers({ onCreate }: { onCreate: () => void }) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  const mayImport = useCan('users:import')
  return (
    <div className={styles.first}>
      <h2>
        <Trans>You are the only user so far</Trans>
      </h2>
      <p>
        <Trans>
          Users are the people who sign in to the product. Create the first one, or import them from a file.
        </Trans>
      </p>
      <Group gap={8} align="stretch">
        {mayWrite && (
          <Button leftSection={<IconPlus />} onClick={onCreate}>
            <Trans>Create user</Trans>
          </Button>
        )}
        {mayImport && (
          <Button
            variant="default"
            leftSection={<IconImport />}
            renderRoot={(props) => <Link {...props} to="/imports" search={{ new: true }} />}
          >
            <Trans>Import users</Trans>
          </Button>
        )}
      </Group>
      <p>
        <Trans>Or from a terminal:</Trans>
      </p>
      <CopyLine text="npx rollbook users create grace" label={t`the command that creates a user`} />
    </div>
  )
}
