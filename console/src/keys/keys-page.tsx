import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { ApiKey } from 'rollbook/client'
import { useCan, useMe } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { Badge } from '../ui/badge.tsx'
import { IconPlus, IconSearch } from '../ui/icons.tsx'
import { loadedAhead } from '../ui/loaded-ahead.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import records from '../ui/records.module.css'
import { Instant } from '../ui/time.tsx'
import { holdsAll, remarksOn } from './key-state.ts'
import styles from './keys-page.module.css'
import { keysQuery } from './queries.ts'

const { Component: CreateKeyDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('./create-key-dialog.tsx'),
)
const RotateKeyDialog = lazy(() => import('./rotate-key-dialog.tsx'))
const RevokeKeyDialog = lazy(() => import('./revoke-key-dialog.tsx'))

type Open = { dialog: 'create' } | { dialog: 'rotate' | 'revoke'; key: ApiKey }

/** From so many on it is quicker to type than to look. */
const manyKeys = 10

export default function KeysPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(keysQuery)
  const mayWrite = useCan('keys:write')
  const [open, setOpen] = useState<Open | undefined>()
  const [search, setSearch] = useState('')
  usePreloadCreate()
  useShortcut('c', t`Create an API key`, () => setOpen({ dialog: 'create' }), { opensField: true, isOn: mayWrite })
  const close = () => setOpen(undefined)
  const wanted = search.trim().toLowerCase()
  const shown = data?.filter(({ name, prefix }) => `${name} ${prefix}`.toLowerCase().includes(wanted))
  return (
    <Page
      title={t`API keys`}
      description={
        <Trans>Programs authenticate with an API key. Give each its own, with only the permissions it needs.</Trans>
      }
      actions={
        <>
          <ApiCallButton calls={[{ operation: 'GET /keys' }]} />
          <Button
            leftSection={<IconPlus />}
            disabled={!mayWrite}
            title={mayWrite ? undefined : t`This needs the permission keys:write.`}
            onClick={() => setOpen({ dialog: 'create' })}
          >
            <Trans>Create a key</Trans>
          </Button>
        </>
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`The keys could not be read.`} />}
      {data === undefined && !error && <KeysSkeleton />}
      {data !== undefined && data.length >= manyKeys && (
        <TextInput
          className={styles.search ?? ''}
          type="search"
          aria-label={t`Search keys by name or prefix`}
          placeholder={t`Name or prefix`}
          leftSection={<IconSearch />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {data?.length === 0 && (
        <p className={styles.empty}>
          <Trans>There are no keys yet. Create one for each program that uses this service.</Trans>
        </p>
      )}
      {shown !== undefined &&
        data !== undefined &&
        data.length > 0 &&
        (shown.length === 0 ? (
          <p className={styles.empty} role="status">
            <Trans>No keys match.</Trans>
          </p>
        ) : (
          <KeyTable keys={shown} onOpen={setOpen} />
        ))}
      <Suspense fallback={null}>
        {open?.dialog === 'create' && <CreateKeyDialog onClose={close} />}
        {open?.dialog === 'rotate' && <RotateKeyDialog apiKey={open.key} onClose={close} />}
        {open?.dialog === 'revoke' && <RevokeKeyDialog apiKey={open.key} onClose={close} />}
      </Suspense>
    </Page>
  )
}

function KeyTable({ keys, onOpen }: { keys: readonly ApiKey[]; onOpen: (open: Open) => void }) {
  const { t } = useLingui()
  return (
    <div className={records.box}>
      <table className={records.table}>
        <thead>
          <tr>
            <th scope="col">{t`Key`}</th>
            <th scope="col">{t`Permissions`}</th>
            <th scope="col">{t`Created`}</th>
            <th scope="col">{t`Expires`}</th>
            <th scope="col">{t`Last used`}</th>
            <td>
              <span className="visually-hidden">{t`Actions`}</span>
            </td>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.key_id} apiKey={key} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function KeyRow({ apiKey, onOpen }: { apiKey: ApiKey; onOpen: (open: Open) => void }) {
  const { t } = useLingui()
  const { name, prefix, permissions, created_at, expires_at, last_used_at, managed } = apiKey
  const remarks = remarksOn(apiKey, Date.now())
  return (
    <tr>
      <td>
        <div className={records.name}>{name}</div>
        {prefix !== '' && (
          <div className={records.under}>
            <code dir="ltr">{prefix}…</code>
          </div>
        )}
        <div className={styles.badges}>
          {managed && <Badge kind="accent">{t`From the configuration`}</Badge>}
          {remarks.includes('ended') && <Badge kind="fault">{t`Expired`}</Badge>}
          {remarks.includes('ends_soon') && <Badge kind="warn">{t`Expires soon`}</Badge>}
          {remarks.includes('never_used') && <Badge kind="warn">{t`Never used`}</Badge>}
          {remarks.includes('long_unused') && <Badge kind="warn">{t`Not used for 90 days`}</Badge>}
        </div>
      </td>
      <td data-label={t`Permissions`}>
        {permissions.includes('*') ? (
          <Badge kind="warn">{t`Full access`}</Badge>
        ) : (
          <div className={styles.words}>
            {permissions.map((word) => (
              <code key={word} dir="ltr">
                {word}
              </code>
            ))}
          </div>
        )}
      </td>
      <td className={records.nowrap} data-label={t`Created`}>
        <Instant value={created_at} style="date" />
      </td>
      <td className={records.nowrap} data-label={t`Expires`}>
        <Instant value={expires_at} style="date" never={t`Never`} />
      </td>
      <td className={records.nowrap} data-label={t`Last used`}>
        <Instant value={last_used_at} never={t`Never`} />
      </td>
      <td>
        <KeyActions apiKey={apiKey} isEnded={remarks.includes('ended')} onOpen={onOpen} />
      </td>
    </tr>
  )
}

type ActionsProps = { apiKey: ApiKey; isEnded: boolean; onOpen: (open: Open) => void }

/** What cannot be done is not offered; why is said instead. */
function KeyActions({ apiKey, isEnded, onOpen }: ActionsProps) {
  const { t } = useLingui()
  const mine = useMe().permissions
  const mayWrite = useCan('keys:write')
  const { name, managed, permissions } = apiKey
  if (!mayWrite) return null
  if (managed)
    return (
      <p className={styles.reason}>
        <Trans>
          Change <code>ROLLBOOK_ADMIN_KEY</code> and restart.
        </Trans>
      </p>
    )
  if (!holdsAll(mine, permissions))
    return (
      <p className={styles.reason}>
        <Trans>It has permissions that you do not have.</Trans>
      </p>
    )
  return (
    <div className={records.actions}>
      {!isEnded && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="var(--rb-accent)"
          aria-label={t`Rotate ${name}`}
          onClick={() => onOpen({ dialog: 'rotate', key: apiKey })}
        >
          <Trans>Rotate</Trans>
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="var(--rb-fault)"
        aria-label={t`Revoke ${name}`}
        onClick={() => onOpen({ dialog: 'revoke', key: apiKey })}
      >
        <Trans>Revoke</Trans>
      </Button>
    </div>
  )
}

function KeysSkeleton() {
  return (
    <div className={records.frame} aria-busy="true">
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className={styles.waiting}>
          <Skeleton height={14} width="28%" />
          <Skeleton height={14} width="40%" />
          <Skeleton height={14} width="14%" />
        </div>
      ))}
    </div>
  )
}
