import { each, gauge } from '../../core/metric-family.ts'
import { timestamp } from '../../lib/instant.ts'
import { secondsSince, storedMetrics } from '../../store/stored-metrics.ts'
import { countMails } from './store.ts'

export const metrics = storedMetrics({
  async read(db, now) {
    const found = await countMails(db, timestamp(now))
    return { ...found, ageSeconds: secondsSince(found.oldest_at, now) }
  },
  families: (figures) => [
    gauge(
      'rollbook_mails',
      'Messages that wait to be sent, are held after a restore, or were given up within 30 days.',
      async () => {
        const found = await figures()
        return (
          found &&
          each('status', { waiting: Number(found.waiting), held: Number(found.held), failed: Number(found.failed) })
        )
      },
      ['status'],
    ),
    gauge('rollbook_mail_server_failing', '1 while the mail server accepts nothing.', async () => {
      const found = await figures()
      return found && Number(found.failing_since !== null)
    }),
    gauge(
      'rollbook_mail_unsent_age_seconds',
      'How long the oldest unsent message has been waiting.',
      async () => (await figures())?.ageSeconds,
    ),
  ],
})
