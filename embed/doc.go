// Package embed turns texts into vectors; each type in it is an
// [orihon/memory.Embedder].
//
// [Hash] needs no model, no training and no network. It is not for meaning:
// it brings together words that share letters (deploy, deployments, 部署流程)
// where full text sees different terms.
//
// [Table] is what a space has where none is configured: it brings together words that
// mean about the same, by a table in the binary. Start with [NewTable].
//
// [Static] looks words up in a downloaded model that [AddModel] compiled;
// [Remote] asks a server, best through [Cached]. [Open] opens what is
// configured, and [Query] embeds a question with any of them.
package embed
