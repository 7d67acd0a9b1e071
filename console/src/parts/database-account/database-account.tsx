import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Tabs } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyLine } from '../../ui/copy.tsx'
import { type AccountKind, accountCommands, longestNameBytes, type Obstacle } from './commands.ts'
import styles from './database-account.module.css'

type Props = { username: string; kind: AccountKind }

/** The account in the product's database: Rollbook shows the commands and never runs them. */
export function DatabaseAccount({ username, kind }: Props) {
  const { t } = useLingui()
  const [isSuperuser, setIsSuperuser] = useState(false)
  const [canCreateDatabases, setCanCreateDatabases] = useState(false)
  const commands = accountCommands(kind, username, { isSuperuser, canCreateDatabases })
  const isCreation = kind === 'create'
  return (
    <div className={styles.account}>
      <p>
        {isCreation ? (
          <Trans>
            Rollbook does not create database accounts. If <bdi>{username}</bdi> needs one, ask an administrator of that
            database to create it.
          </Trans>
        ) : (
          <Trans>
            Deleting the user leaves a database account named <bdi>{username}</bdi> unchanged: it keeps its objects and
            can still connect. Rollbook never drops it. To remove it as well, ask an administrator of that database.
          </Trans>
        )}
      </p>
      {typeof commands === 'string' ? (
        <div className={styles.obstacle}>
          <ObstacleText obstacle={commands} />
        </div>
      ) : (
        <>
          {isCreation && (
            <fieldset className={styles.rights}>
              <legend>
                <Trans>Additional rights</Trans>
              </legend>
              <Checkbox
                size="xs"
                label={<code dir="ltr">SUPERUSER</code>}
                aria-label={t`SUPERUSER: passes every check of the database`}
                checked={isSuperuser}
                onChange={(event) => setIsSuperuser(event.currentTarget.checked)}
              />
              <Checkbox
                size="xs"
                label={<code dir="ltr">CREATEDB</code>}
                aria-label={t`CREATEDB: may create databases`}
                checked={canCreateDatabases}
                onChange={(event) => setCanCreateDatabases(event.currentTarget.checked)}
              />
            </fieldset>
          )}
          <Tabs defaultValue="shell" color="var(--rb-accent)">
            <Tabs.List aria-label={t`Where the command is run`}>
              <Tabs.Tab value="shell">
                <Trans>Terminal</Trans>
              </Tabs.Tab>
              <Tabs.Tab value="sql">SQL</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="shell" className={styles.panel}>
              <CopyLine text={commands.shell} label={t`the command for the terminal`} />
              {isCreation && (
                <Note>
                  <Trans>
                    The command asks for the account’s password, which is separate from the one in Rollbook.
                  </Trans>
                </Note>
              )}
            </Tabs.Panel>
            <Tabs.Panel value="sql" className={styles.panel}>
              <CopyLine text={commands.sql} label={t`the statement in SQL`} />
              {commands.psqlPassword !== null && (
                <>
                  <Note>
                    <Trans>
                      Then set its password, in <code dir="ltr">psql</code>. It is separate from the one in Rollbook.
                    </Trans>
                  </Note>
                  <CopyLine text={commands.psqlPassword} label={t`the line for psql`} />
                </>
              )}
            </Tabs.Panel>
          </Tabs>
          {!isCreation && (
            <Note>
              <Trans>
                An account that owns objects cannot be dropped. Reassign them first:{' '}
                <code dir="ltr">REASSIGN OWNED</code>, then <code dir="ltr">DROP OWNED</code>.
              </Trans>
            </Note>
          )}
          {isSuperuser && (
            <Note>
              <Trans>
                SUPERUSER passes every check of the database, and can read and write files of its server. Grant it only
                if the product requires it.
              </Trans>
            </Note>
          )}
        </>
      )}
    </div>
  )
}

function Note({ children }: { children: ReactNode }) {
  return <p className={styles.note}>{children}</p>
}

function ObstacleText({ obstacle }: { obstacle: Obstacle }) {
  switch (obstacle) {
    case 'too_long':
      return (
        <Trans>
          There is no command for this username: it takes more than {longestNameBytes} bytes, and PostgreSQL would
          truncate it. Give the database account a shorter name.
        </Trans>
      )
    case 'reserved':
      return (
        <Trans>
          There is no command for this username: PostgreSQL reserves <code dir="ltr">public</code>,{' '}
          <code dir="ltr">none</code> and names that begin with <code dir="ltr">pg_</code> for itself. Give the database
          account another name.
        </Trans>
      )
    case 'control_character':
      return (
        <Trans>
          There is no command for this username: it contains a line break, a tab or another control character, which a
          terminal would interpret.
        </Trans>
      )
    case 'invisible_character':
      return (
        <Trans>
          There is no command for this username: it contains invisible characters, so the copied command would differ
          from the one shown.
        </Trans>
      )
    default:
      return <Trans>There is no command for this username: PostgreSQL cannot store this text.</Trans>
  }
}
