// Package embed turns texts into vectors; each type in it is an
// [orihon/memory.Embedder].
//
// [Hash] needs no model, no training and no network. It is not for meaning:
// it brings together words that share letters (deploy, deployments, 部署流程)
// where full text sees different terms. Start with [NewHash].
//
// [Latent] needs no model and no network either: [Train] learns it from the
// passages of a store, in which words come to mean what they stand beside. It
// knows nothing of the world outside of that store. [OpenLatent] opens one that
// was saved; a prompt reads only the rows of its own features.
//
// [Static] looks words up in a downloaded model that [AddModel] compiled;
// [Remote] asks a server, best through [Cached]. [Open] opens what is
// configured, and [Query] embeds a question with any of them.
package embed
