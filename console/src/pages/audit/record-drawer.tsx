/** All details of one record. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Drawer } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditRecord } from 'rollbook/client'
import { type AuditSearch, actorKinds } from '../../data/search/audit.ts'
import { recordWords } from '../../parts/audit/action-words.ts'
import { MemberName } from '../../parts/audit/member-name.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './audit.module.css'
import { ChangesTable } from './changes-table.tsx'
import { useFilterWords } from './filters.tsx'
import { detailsOf } from './values.ts'

type Props = {
  record: AuditRecord
  isOpen: boolean
  onClose: () => void
  /** Called after the closing animation. */
  onClosed: () => void
  onFilter: (filter: AuditSearch) => void
}

export default function RecordDrawer({ record, isOpen, onClose, onClosed, onFilter }: Props) {
  const { t, i18n } = useLingui()
  const words = useFilterWords()
  const { actor, target, changes, outcome, code, address, user_agent, request_id, erased } = record
  const said = recordWords(record)
  const details = detailsOf(record.details)
  const targetKind = target?.kind === 'key' ? 'api_key' : actorKinds.find((kind) => kind === target?.kind)
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      returnFocus={false}
      position={document.documentElement.dir === 'rtl' ? 'left' : 'right'}
      size="34rem"
      classNames={{ title: styles.recordTitle ?? '' }}
      title={said === undefined ? record.action : i18n._(said)}
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <div className={styles.record}>
        <ChangesTable changes={changes} />
        {changes === null && erased && (
          <p className={styles.quiet}>
            <Trans>The personal data in this record was erased with the user. The rest of the record is kept.</Trans>
          </p>
        )}
        <dl className={styles.facts}>
          <Fact name={t`When`}>
            <Instant value={record.occurred_at} style="full" />
          </Fact>
          <Fact name={t`Outcome`}>
            <span data-outcome={outcome}>{words.outcome(outcome)}</span>
            {code !== null && (
              <>
                {' '}
                <code dir="ltr">{code}</code>
              </>
            )}
          </Fact>
          <Fact
            name={t`Actor`}
            action={
              actor.kind !== 'anonymous' && (
                <Button size="compact-xs" variant="default" onClick={() => onFilter({ actor: actor.id })}>
                  <Trans>All by this actor</Trans>
                </Button>
              )
            }
          >
            <Party kind={actor.kind} id={actor.id} name={actor.name} />{' '}
            <span className={styles.quiet}>{words.kind(actor.kind)}</span>
          </Fact>
          {target !== null && (
            <Fact
              name={t`Target`}
              action={
                <Button size="compact-xs" variant="default" onClick={() => onFilter({ target: target.id })}>
                  <Trans>All on this target</Trans>
                </Button>
              }
            >
              <Party kind={target.kind} id={target.id} name={target.name} />{' '}
              <span className={styles.quiet}>{targetKind ? words.kind(targetKind) : target.kind}</span>
            </Fact>
          )}
          {details.map(([name, value]) => (
            <Fact key={name} name={<MemberName member={name} />}>
              {value}
            </Fact>
          ))}
          <Fact name={t`Address`}>{address === null ? '–' : <code dir="ltr">{address}</code>}</Fact>
          <Fact name={t`User agent`}>{user_agent ?? '–'}</Fact>
          <Fact
            name={t`Request`}
            action={
              <>
                <Button size="compact-xs" variant="default" onClick={() => onFilter({ request_id })}>
                  <Trans>All in this request</Trans>
                </Button>
                <CopyButton text={request_id} label={t`request ID`} />
              </>
            }
          >
            <code dir="ltr">{request_id}</code>
          </Fact>
          <Numbers record={record} />
        </dl>
      </div>
    </Drawer>
  )
}

/** What identifies the record. */
function Numbers({ record }: { record: AuditRecord }) {
  const { t } = useLingui()
  const { session_id } = record.actor
  return (
    <>
      {session_id !== null && (
        <Fact name={t`Session`}>
          <code dir="ltr">{session_id}</code>
        </Fact>
      )}
      <Fact name={t`Action`}>
        <code dir="ltr">{record.action}</code>
      </Fact>
      <Fact name={t`Record number`}>
        <code dir="ltr">{record.seq}</code>
      </Fact>
      <Fact name={t`Hash`}>
        <code dir="ltr">{record.hash}</code>
      </Fact>
    </>
  )
}

function Fact({ name, action, children }: { name: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span>{children}</span>
        {action && <span className={styles.actions}>{action}</span>}
      </dd>
    </div>
  )
}

function Party({ kind, id, name }: { kind: string; id: string; name: string | null }) {
  const text = name ?? <code dir="ltr">{id}</code>
  if (kind !== 'user') return <strong title={id}>{text}</strong>
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      {text}
    </Link>
  )
}
