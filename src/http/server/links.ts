import type { FastifyInstance } from 'fastify'
import type { Config } from '../../core/config.ts'
import { reachableAddress } from './own-address.ts'

/** Our own URLs as callers see them, never built from the Host header. */
export type Links = {
  /** A path of ours as a URL: absolute if a public URL is configured. */
  to(path: string): string
  /** A path of ours as a path of the public origin. */
  path(path: string): string
  /** The issuer of our access tokens: the base as an absolute URL. */
  issuer(): string
  origin(): string
}

export function linksOf(config: Config, fastify: FastifyInstance): Links {
  const { publicUrl, basePath } = config
  const base = publicUrl ?? basePath
  const publicPath = publicUrl === undefined ? basePath : new URL(publicUrl).pathname.replace(/\/$/, '')
  const issuer = () => publicUrl ?? ownAddress(fastify, config)
  return {
    to: (path) => base + path,
    path: (path) => publicPath + path,
    issuer,
    origin: () => new URL(issuer()).origin,
  }
}

/** The URL at which this machine reaches the server; before it listens, the one it will have. */
function ownAddress({ server }: FastifyInstance, { host, port, basePath }: Config): string {
  const bound = server.address()
  return reachableAddress(host, typeof bound === 'object' ? (bound?.port ?? port) : port) + basePath
}
