package terms

// longestStop is the length of the longest word of isStop.
const longestStop = 10

// isStop reports the English function words: they carry grammar, not content.
func isStop(w string) bool {
	switch w {
	case "a", "i",
		"am", "an", "as", "at", "be", "by", "do", "he", "if", "im", "in", "is", "it", "me",
		"my", "no", "of", "on", "or", "so", "to", "up", "us", "we",
		"all", "and", "any", "are", "but", "can", "did", "for", "had", "has", "her",
		"him", "his", "how", "its", "may", "nor", "not", "off", "our", "out", "own",
		"she", "the", "too", "via", "was", "who", "why", "yet", "you", "ive", "per",
		"also", "been", "both", "came", "cant", "does", "dont", "each", "else", "even", "ever",
		"from", "have", "here", "hers", "into", "just", "like", "many", "more", "most", "much", "must",
		"once", "only", "onto", "ours", "over", "same", "some", "such", "than",
		"that", "them", "then", "they", "this", "thus", "upon", "very", "well", "were", "what",
		"when", "whom", "will", "with", "your", "didn", "isnt", "wont",
		"about", "after", "again", "among", "being", "could", "didnt", "doing", "every",
		"might", "other", "shall", "since", "still", "their", "there", "these", "those",
		"under", "until", "where", "which", "while", "whose", "would", "youre", "yours",
		"although", "anyone", "around", "before", "cannot", "doesnt", "during", "either", "except",
		"having", "hence", "itself", "mostly", "myself", "neither", "others", "really", "rather",
		"should", "though", "toward", "unless", "within",
		"because", "besides", "between", "however", "neednt", "perhaps", "shouldnt", "someone",
		"through", "together", "towards", "whereas", "whether", "without", "yourself",
		"himself", "herself", "ourselves", "themselves", "yourselves", "therefore", "something",
		"somehow", "anything", "everything", "nothing", "already", "otherwise", "quite":
		return true
	}
	return false
}
